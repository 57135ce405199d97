# SPDX-License-Identifier: Apache-2.0
# Nsight Compute's counters explained: three attention kernels on an H200, the change from one to another, and files that
# explain nothing.
ncu=$GOLDEN/../data/ncu
try pawl profile --import "$ncu/sdpa_3backends_raw.csv" | sed "s,$ncu,NCU,"
sed -n '1,3p' "$ncu/sdpa_3backends_raw.csv" >cudnn.csv
sed -n '1,2p;4p' "$ncu/sdpa_3backends_raw.csv" >flash.csv
try pawl profile --import flash.csv --base cudnn.csv | sed -n '1,11p'
try pawl profile --import cudnn.csv --base cudnn.csv | sed -n '1,4p'
head -c 100000 cudnn.csv >cut.csv
echo '==PROF== Disconnected' >empty.csv
echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters' >permission.csv
try pawl profile --import cut.csv
try pawl profile --import empty.csv
try pawl profile --import permission.csv
try pawl profile --import missing.csv
try pawl profile
try pawl profile kernel
try pawl profile kernel --import cudnn.csv
